// An amount that counts up to its meter, and never shows more than the meter holds.

import { cents, text } from "./money.js";

const COUNT_MS = 1200;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Counter {
  /** `show` is given each text to be shown. */
  constructor(show) {
    this.show = show;
    this.shown = null; // in cents
    this.frame = 0;
  }

  /** The meter holds this much now. */
  set(amount) {
    const target = cents(amount);
    cancelAnimationFrame(this.frame);
    if (this.shown === null || target <= this.shown || still.matches || document.hidden) {
      this.shown = target;
      this.show(amount);
      return;
    }
    const from = this.shown;
    const begun = performance.now();
    const step = (now) => {
      const part = Math.min(Math.max((now - begun) / COUNT_MS, 0), 1);
      if (part === 1) {
        this.shown = target;
        this.show(amount);
        return;
      }
      // Down to the cent below, so that rounding never runs ahead of the meter.
      this.shown = from + Math.floor((target - from) * (1 - (1 - part) ** 2));
      this.show(text(this.shown));
      this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }
}
