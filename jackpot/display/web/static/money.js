// Money is text. Between two values of a meter a sign counts in whole cents, which are exact here
// as long as they stay below 2**53; the value itself is always shown as the controller wrote it.

/** Whole cents of "12,345.67". */
export function cents(text) {
  const digits = text.replace(/[,.]/g, "");
  const value = Number(digits);
  if (!/^-?\d[\d,]*\.\d\d$/.test(text) || !Number.isSafeInteger(value)) {
    throw new Error(`${text} is no amount in cents`);
  }
  return value;
}

/** "12,345.67" of whole cents. */
export function text(value) {
  const digits = String(Math.abs(value)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${value < 0 ? "-" : ""}${whole}.${digits.slice(-2)}`;
}
