import { Query } from '@nestjs/cqrs';
import type { Page } from '#platform/input';
import type { Principal } from '#platform/kernel';
import type { ChatTokens, RequestType, Span } from '#ports/analytics';
import type { Summary } from '../figures.ts';

export interface KeyUsage extends Summary {
  readonly keyId: string;
  /** Null: the key is revoked. */
  readonly name: string | null;
}

export interface Usage {
  /** The most frequent first. */
  readonly types: readonly (Summary & { readonly type: RequestType })[];
  /** Hours with requests, by their beginning: milliseconds since the epoch. */
  readonly hours: readonly (Summary & { readonly at: number })[];
  /** A page of the keys, the most used first. */
  readonly keys: readonly KeyUsage[];
  readonly totalKeys: number;
  readonly totalMemories: number;
  /** Of calls of language models. */
  readonly tokens: Readonly<ChatTokens>;
}

/** Returns what the requests of the organization come to, by type, hour and key. */
export class ReadUsage extends Query<Usage> {
  constructor(
    readonly principal: Principal,
    readonly span: Span,
    readonly page: Page,
  ) {
    super();
  }
}
