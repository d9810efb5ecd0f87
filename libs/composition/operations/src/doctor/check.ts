import { stat } from 'node:fs/promises';
import type { Probe, ProbedEngines } from '#composition/runtime';
import { DocumentRepository } from '#features/documents';
import type { Config } from '#platform/config';
import type { Clock } from '#platform/kernel';
import { withoutCredentials } from '#platform/kernel';
import { createCommandHandler, createFoldCache, type EventStore } from '#ports/event-store';
import type { inspectOpenSearchViews, ViewsReader } from '#read-side/views';
import type { OperationsContext } from '../operation.ts';

/** The parts that the checks examine. */
export interface DoctorContext extends Pick<OperationsContext, 'server'> {
  readonly config: Config;
  readonly clock: Clock;
  readonly engines: ProbedEngines;
  /** Whether the operator accepts that documents have lost content. */
  readonly acceptLoss: boolean;
}

/** What a check has found. `advice` says what to do if it is not `ok`. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly advice?: string;
  /** What is examined, if that is not what the check says. */
  readonly name?: string;
  readonly about?: string;
}

/** State that the checks share. */
export interface SharedState {
  /** Versions that the engines report, by product name. */
  readonly versions: Record<string, string>;
  /** Null: the views are not in OpenSearch. */
  readonly openSearch: ReturnType<typeof inspectOpenSearchViews> | null;
}

/** One check of the doctor, declared in one file and registered by one line in `examine.ts`. */
export interface Check {
  readonly name: string;
  /** What is examined and why it matters, in one sentence for the operator. */
  readonly about: string;
  run(context: DoctorContext, shared: SharedState): Promise<Finding | readonly Finding[]>;
}

/** The answer depends on an engine that cannot be reached and has a check of its own. */
export class UnknownResultError extends Error {
  override readonly name = 'UnknownResultError';

  constructor(engine: string) {
    super(`not known: ${engine} cannot be reached`);
  }
}

export const ok = (detail: string): Finding => ({ state: 'ok', detail });
export const warning = (detail: string, advice: string): Finding => ({ state: 'warning', detail, advice });
export const failure = (detail: string, advice: string): Finding => ({ state: 'failed', detail, advice });

/** @throws UnknownResultError */
export function required<T>(engine: Probe<T>, name: string): T {
  if ('opened' in engine) return engine.opened;
  throw new UnknownResultError(name);
}

export const logOf = ({ engines }: DoctorContext): EventStore => required(engines.store, 'the event log');

/** @throws UnknownResultError */
export function repositoryOf(context: DoctorContext): DocumentRepository {
  const cache = createFoldCache({ characters: 100_000 });
  return new DocumentRepository(createCommandHandler({ store: logOf(context), clock: context.clock, cache }));
}

export async function readerOf({ engines }: DoctorContext, { openSearch }: SharedState): Promise<ViewsReader> {
  const reader = required(engines.reader, 'the views');
  await openSearch?.catch(() => {
    throw new UnknownResultError('OpenSearch');
  });
  return reader;
}

/** @throws Error if the work takes longer */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `no answer within ${milliseconds / 1_000} seconds`;
  const timer = setTimeout(() => reject(new Error(message)), milliseconds);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Ends a list of which only the first entries are shown. */
export const andMore = (count: number, shown: number): string => (count > shown ? ` and ${count - shown} more` : '');

const MEBIBYTE = 1024 * 1024;

export const messageOf = ({ message }: Error): string => withoutCredentials(message);

/** Returns the size of a file in bytes; 0 if it does not exist. */
export const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => null))?.size ?? 0;
export const mebibytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
