/**
 * Preloaded with `--import`: the clock of this process differs from the machine's by the milliseconds in the file that
 * CHAOS_CLOCK names. Timers are not affected, as when the clock of a machine is set.
 */
import { readFileSync } from 'node:fs';

const FILE = process.env.CHAOS_CLOCK;
/** Time between two reads of the file. Milliseconds. */
const READ_AGAIN_MS = 100;

if (FILE !== undefined) {
  const MachineDate = globalThis.Date;
  const machineNow = MachineDate.now.bind(MachineDate);
  let readAt = Number.NEGATIVE_INFINITY;
  let ahead = 0;

  const now = (): number => {
    const time = performance.now();
    if (time - readAt >= READ_AGAIN_MS) {
      readAt = time;
      try {
        ahead = Number(readFileSync(FILE, 'utf8'));
      } catch {
        // The file is absent until the clock is set for the first time.
      }
    }
    return machineNow() + ahead;
  };

  globalThis.Date = new Proxy(MachineDate, {
    construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
    apply: () => new MachineDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}
