import { Query } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';

/** A file as it was uploaded. */
export interface OpenedFile {
  readonly name: string;
  /** As the caller sent it; may be anything. */
  readonly contentType: string | null;
  readonly bytes: number;
  /** Reads the bytes from `start` up to `end`, which is not included. */
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>;
}

/** The file that a token of `GetFileLink` names, while it is the present file of a live document. */
export class OpenFile extends Query<Result<OpenedFile, 'dead_link'>> {
  constructor(readonly token: string) {
    super();
  }
}
