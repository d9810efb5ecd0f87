import { setTimeout as pause } from 'node:timers/promises';
import { checkReads, checkStored, type FollowedReading } from './checks/check-all.ts';
import { runClients } from './clients/actions.ts';
import { Connection } from './clients/connection.ts';
import { causeFaults } from './faults.ts';
import { FeedReader } from './feed-reader.ts';
import type { Installation } from './installation/installation.ts';
import { openKeys } from './keys.ts';
import { Expectations } from './model/expected.ts';
import { Texts } from './model/texts.ts';
import { Random } from './random.ts';
import { Report } from './report.ts';

/** Between faults. */
const CALM_MS = [1_000, 8_000] as const;
/** Faults that overlap. */
const FAULTS_AT_ONCE = 2;
/** Until a reader has seen the event of an add. Milliseconds. */
const SEEN_MS = 200;

export interface ChaosOptions {
  readonly seed: number;
  /** Time of requests and faults, without the comparisons after it. */
  readonly milliseconds: number;
  /** Between the end of a fault and the next one, at least and at most. Milliseconds. Default: 1,000 to 8,000. */
  readonly calm?: readonly [number, number];
  /** Compare only once, after a restart. Default: also before it. */
  readonly once?: boolean;
  readonly say: (text: string) => void;
}

/** Sends requests while things go wrong, then compares all that can be read with what was acknowledged. */
export async function runChaos(installation: Installation, options: ChaosOptions): Promise<Report> {
  const { seed, milliseconds, calm = CALM_MS, say } = options;
  // Every part of the test makes choices of its own.
  let parts = 0;
  const random = () => {
    parts += 1;
    return new Random(seed + parts);
  };
  const report = new Report();
  const expectations = new Expectations();
  const callers = (await openKeys(installation)).map((key) => ({
    key,
    expectations,
    connection: new Connection(key, installation, random(), report),
    reader: new FeedReader(key, installation, random(), report),
  }));
  await Promise.all(callers.map(openFeed));

  say('requests and faults begin');
  const stopping = new AbortController();
  const clients = Promise.all(
    callers.map(({ key, connection }) => {
      const choices = random();
      const texts = new Texts(key.name, choices);
      return runClients({ key, connection, expectations, report, texts, random: choices }, stopping.signal);
    }),
  );
  clients.catch(() => {});
  try {
    const until = Date.now() + milliseconds;
    const faults = Array.from({ length: FAULTS_AT_ONCE }, () =>
      causeFaults(installation, { random: random(), report, until, calm, say }),
    );
    await Promise.all(faults);
  } finally {
    stopping.abort();
    say('the last requests');
    await clients;
  }

  try {
    await compareAll(installation, expectations, callers, report, options);
  } catch (error) {
    report.violation(`the comparison failed: ${String(error)}`);
  } finally {
    await Promise.all(callers.map(({ reader }) => reader.stop()));
  }
  countDocuments(expectations, report);
  report.explain((request) => installation.processes.flatMap((process) => process.saidOf(request)));
  return report;
}

async function compareAll(
  installation: Installation,
  expectations: Expectations,
  callers: readonly FollowedReading[],
  report: Report,
  { once = false, say }: ChaosOptions,
): Promise<void> {
  // After a fault, a process may have failed to start.
  await startAll(installation);
  if (!once) say('comparison after the faults');
  if (once || (await checkReads(callers, report))) {
    say('restart');
    await endAll(installation);
    await startAll(installation);
    say('comparison after a restart');
    await checkReads(callers, report);
  }
  say('comparison of what is stored');
  await checkStored(installation, expectations, report);
  await endAll(installation);
}

/** A reader without an event has no cursor to continue after, so it gets one before anything can go wrong. */
async function openFeed({ key, connection, reader }: FollowedReading): Promise<void> {
  reader.start();
  while (!reader.hasCursor) {
    const body = { content: 'The first document.', containerTags: [key.tags[0]] };
    const added = await connection.send({ method: 'POST', path: '/v3/documents', body });
    await pause(SEEN_MS);
    await connection.send({ method: 'DELETE', path: `/v3/documents/${added?.body.id}` });
  }
}

async function startAll({ processes }: Installation): Promise<void> {
  await Promise.all(processes.map((process) => process.start()));
}

async function endAll({ processes }: Installation): Promise<void> {
  await Promise.all(processes.map((process) => process.end('SIGTERM')));
}

function countDocuments({ documents }: Expectations, report: Report): void {
  const live = documents.filter(({ mustExist }) => mustExist).length;
  const absent = documents.filter(({ mustBeAbsent }) => mustBeAbsent).length;
  report.count('documents that exist at the end', live);
  report.count('documents that are absent at the end', absent);
  report.count('documents of which a write is unknown at the end', documents.length - live - absent);
}
