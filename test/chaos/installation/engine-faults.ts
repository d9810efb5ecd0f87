import { setTimeout as pause } from 'node:timers/promises';
import type { NatsServer } from '../../../libs/platform/nats/src/testing/nats-server.ts';
import type { TcpProxy } from '../../support/cluster.ts';
import type { EventStoreDbProcess } from '../../support/eventstoredb/database.ts';
import type { SmallDisk } from '../../support/small-disk.ts';
import type { Random } from '../random.ts';
import type { Fault } from './installation.ts';

export interface ChaosEngines {
  readonly nats: NatsServer;
  /** Keeps its log in memory, so it is frozen but never killed. */
  readonly log: EventStoreDbProcess;
  readonly openSearch: TcpProxy;
  /** Of NATS and of the processes. Null: this process may not mount. */
  readonly disk: SmallDisk | null;
}

const aWhile = (random: Random): Promise<void> => pause(random.int(200, 8_000));

/** Faults of engines and of the disk. */
export function engineFaults({ nats, log, openSearch, disk }: ChaosEngines): readonly Fault[] {
  // Faults overlap, and NATS cannot be started while it is frozen or its disk is full.
  const ofNats = oneAtATime();
  const faults: Fault[] = [
    {
      name: 'NATS killed',
      weight: 2,
      run: (random) =>
        ofNats(async () => {
          await nats.kill();
          await aWhile(random);
          await nats.restart();
        }),
    },
    {
      name: 'NATS frozen',
      weight: 2,
      run: (random) =>
        ofNats(async () => {
          nats.freeze();
          await aWhile(random);
          nats.thaw();
        }),
    },
    {
      name: 'EventStoreDB frozen',
      weight: 2,
      run: async (random) => {
        log.freeze();
        await aWhile(random);
        log.thaw();
      },
    },
    {
      name: 'OpenSearch unresponsive',
      weight: 2,
      run: async (random) => {
        openSearch.hold();
        await aWhile(random);
        await openSearch.cut();
        await openSearch.open();
      },
    },
    {
      name: 'OpenSearch unreachable',
      weight: 1,
      run: async (random) => {
        await openSearch.cut();
        await aWhile(random);
        await openSearch.open();
      },
    },
  ];
  if (disk === null) return faults;
  const diskFilled: Fault = {
    name: 'disk filled',
    weight: 1,
    run: (random) =>
      ofNats(async () => {
        disk.fill(0);
        await aWhile(random);
        disk.free();
        // NATS switches JetStream off when a write fails, and on again at its next start.
        await nats.kill();
        await nats.restart();
      }),
  };
  return [...faults, diskFilled];
}

/** Returns a function that runs one task after the other. */
function oneAtATime(): (task: () => Promise<void>) => Promise<void> {
  let last = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => {});
    return next;
  };
}
