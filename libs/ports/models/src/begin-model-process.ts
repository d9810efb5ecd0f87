import { constants, setPriority } from 'node:os';

/** Makes this child process end with its parent, leaves signals to the parent, and lowers the priority. Call it first. */
export function beginModelProcess(): void {
  // The parent has ended. Killed, because after an orderly exit the library would report errors of running work.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // Ctrl-C reaches every process of the terminal; the parent ends this process after its own shutdown.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  // Set before any thread starts, because on Linux threads inherit the priority.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
