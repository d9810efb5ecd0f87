/** In one turn of the event loop, work that can be interrupted goes on for so long. Milliseconds. */
const TURN_MS = 5;

/** After so many turns in which only requests went on, one begins with a step of other work. */
const TURNS_OF_REQUESTS = 3;

const requests: (() => void)[] = [];
const background: (() => void)[] = [];
/** When this turn of the event loop was first asked for. Null: not yet. */
let begun: number | null = null;
let isPassing = false;
/** Turns that have begun since other work waits for its next step. */
let passedOver = 0;

/**
 * To be awaited between the steps of work that takes long. Resolves soon if the turn of the event loop has taken less than a
 * few milliseconds, otherwise in a later turn, in the order of asking. However much is done at the same time, a request waits
 * for one step, or for a few short ones.
 */
export function giveWay(): Promise<void> {
  return inLine(requests);
}

/**
 * As `giveWay`, for work that no request waits for: requests that give way go on first. While they do without end, each fourth
 * turn begins with one step of this work, so that it ends too.
 */
export function giveWayToRequests(): Promise<void> {
  return inLine(background);
}

function inLine(waiting: (() => void)[]): Promise<void> {
  if (begun === null) {
    begun = performance.now();
    setImmediate(nextTurn);
  }
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isPassing) return;
    isPassing = true;
    queueMicrotask(passOn);
  });
}

const isAwaited = (): boolean => requests.length > 0 || background.length > 0;

function nextTurn(): void {
  begun = null;
  if (!isAwaited()) return;
  begun = performance.now();
  setImmediate(nextTurn);
  isPassing = true;
  passedOver = background.length > 0 ? passedOver + 1 : 0;
  letGoOn();
}

function passOn(): void {
  isPassing = isAwaited() && performance.now() - (begun ?? 0) < TURN_MS;
  if (isPassing) letGoOn();
}

/** Lets one caller go on, and perhaps the next one after the step of this one. */
function letGoOn(): void {
  const line = requests.length > 0 && passedOver <= TURNS_OF_REQUESTS ? requests : background;
  if (line === background) passedOver = 0;
  line.shift()?.();
  queueMicrotask(passOn);
}
