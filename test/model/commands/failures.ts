import fc from 'fast-check';
import type { Client } from '../client.ts';
import type { Model } from '../contract/model.ts';
import type { CrashPlan } from '../drivers/target.ts';
import { Command } from './command.ts';
import { shown } from './values.ts';

/** Ends a process soon, wherever the commands that follow, or the stages, are then. */
class Crash extends Command {
  readonly plan: CrashPlan;

  constructor(plan: CrashPlan) {
    super();
    this.plan = plan;
  }

  check(): boolean {
    return true;
  }

  async perform(_model: Model, client: Client): Promise<void> {
    client.target.arm(this.plan);
  }

  toString(): string {
    return `Crash(${shown(this.plan)})`;
  }
}

class Restart extends Command {
  check(): boolean {
    return true;
  }

  perform(_model: Model, client: Client): Promise<void> {
    return client.target.restart();
  }

  toString(): string {
    return 'Restart';
  }
}

class Replay extends Command {
  check(): boolean {
    return true;
  }

  perform(_model: Model, client: Client): Promise<void> {
    return client.target.replay();
  }

  toString(): string {
    return 'Replay';
  }
}

export const crashes: fc.Arbitrary<Command> = fc
  .record({
    steps: fc.nat(20),
    side: fc.constantFrom('before' as const, 'after' as const),
    again: fc.option(fc.nat(8), { nil: null, freq: 3 }),
  })
  .map((plan) => new Crash(plan));
export const restarts: fc.Arbitrary<Command> = fc.constant(null).map(() => new Restart());
export const replays: fc.Arbitrary<Command> = fc.constant(null).map(() => new Replay());
