import type { Stage } from '#views';

/** The answer to a command that has a document processed. */
export interface AcceptedDocument {
  readonly id: string;
  readonly status: Stage;
}
