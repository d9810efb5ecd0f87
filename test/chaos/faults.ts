import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from './installation/installation.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';

export interface FaultOptions {
  readonly random: Random;
  readonly report: Report;
  /** Milliseconds since the Unix epoch. No fault begins after it. */
  readonly until: number;
  /** Between the end of a fault and the next one, at least and at most. Milliseconds. */
  readonly calm: readonly [number, number];
  readonly say: (text: string) => void;
}

/** Causes random faults, one after the other. A process that ends although no fault has ended it is a violation. */
export async function causeFaults(
  installation: Installation,
  { random, report, until, calm, say }: FaultOptions,
): Promise<void> {
  for (;;) {
    await pause(random.int(...calm));
    if (Date.now() > until) return;
    const fault = random.weighted(installation.faults);
    say(fault.name);
    try {
      await fault.run(random);
      await reportCrashes(installation, report);
    } catch (error) {
      report.violation(`no recovery from ${fault.name}: ${String(error)}`);
    }
    report.count(`fault: ${fault.name}`);
  }
}

async function reportCrashes({ processes }: Installation, report: Report): Promise<void> {
  for (const process of processes) {
    if (!process.hasCrashed) continue;
    report.violation(`the process ${process.name} ended by itself: ${process.lastOutput}`);
    await process.start();
  }
}
