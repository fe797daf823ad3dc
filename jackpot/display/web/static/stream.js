// Watch a topic of the controller, and know within seconds when it is lost.
//
// The server sends something at least every second. A browser keeps a dead connection open for
// minutes, and gives up for good on some answers, so neither is left to it. Over HTTP/1.1 it keeps
// six connections to one server for all of its tabs, so a tab that nobody sees gives its own back.

const SILENT_MS = 3000;
const RETRY_MS = 1000;
const CHECK_MS = 250;

/**
 * @param path where the events are
 * @param handlers by the kind of event
 * @param alive told true or false whenever that changes: whether what is shown is true
 * @returns again: to be told anew what is said once to whoever connects
 */
export function watch(path, handlers, alive) {
  let source = null;
  let lastId = "";
  let opened = 0;
  let heard = performance.now();
  let told = null;

  const tell = (value) => {
    if (told !== value) {
      told = value;
      alive(value);
    }
  };

  const listen = (kind, handle) => {
    source.addEventListener(kind, (event) => {
      heard = performance.now();
      if (event.lastEventId) lastId = event.lastEventId;
      handle(JSON.parse(event.data));
    });
  };

  const connect = () => {
    source?.close();
    opened = performance.now();
    source = new EventSource(lastId ? `${path}?after=${encodeURIComponent(lastId)}` : path);
    for (const [kind, handle] of Object.entries(handlers)) listen(kind, handle);
    listen("beat", (beat) => {
      handlers.clock?.(beat.now_ms);
      // Back again: what is said once to whoever connects was not known before, or has changed.
      if (told === false && beat.serving) connect();
      tell(beat.serving);
    });
  };

  const turn = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      heard = performance.now();
      connect();
    }
  };

  const check = () => {
    if (!source) return;
    const now = performance.now();
    if (now - heard > SILENT_MS) tell(false);
    const refused = source.readyState === EventSource.CLOSED;
    if ((!refused && now - heard <= SILENT_MS) || now - opened <= RETRY_MS) return;
    connect();
    if (refused) leave();
  };

  /** A login that has ended: the page itself says what to do then. */
  const leave = async () => {
    const answer = await fetch(location.pathname, { method: "HEAD" }).catch(() => null);
    if (answer?.status === 401 || answer?.status === 403) location.reload();
  };

  turn();
  setInterval(check, CHECK_MS);
  document.addEventListener("visibilitychange", turn);
  addEventListener("pagehide", () => source?.close());
  return { again: () => source && connect() };
}
