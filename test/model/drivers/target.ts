/** An installation of Mneme in which processes can end at any time. */
export interface Target {
  /** Grows with every start of a process. */
  readonly lives: number;
  /** Sends a request once. @throws ProcessGone if no answer arrived because a process ended */
  send(request: Request): Promise<Reply>;
  /** Returns when the processes that ended run again. */
  recover(): Promise<void>;
  /** Ends a process soon. Replaces an earlier one that has not taken place. */
  arm(crash: CrashPlan): void;
  /** Stops cleanly, and starts again. */
  restart(): Promise<void>;
  /** Builds lists and search index from the log again. */
  replay(): Promise<void>;
  /** Upper limit of the time until all reads show what was written. Milliseconds. */
  readonly patienceMs: number;
  /** Of processes: what can explain a difference. What they logged, their health, the end of the log. */
  evidence?(): Promise<string>;
  close(): Promise<void>;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, looked into by the commands
  readonly body: any;
}

/** When a process ends. */
export interface CrashPlan {
  /** Durable writes (of requests and of stages) until then; a process that is killed: units of time. */
  readonly steps: number;
  /** Right before the write, or right after it. */
  readonly side: 'before' | 'after';
  /** The same for the process that is started then; null: it stays. */
  readonly again: number | null;
}

export class ProcessGone extends Error {
  override readonly name = 'ProcessGone';
}

export const OWNER_KEY = 'sm_test_owner_key_0123456789';
