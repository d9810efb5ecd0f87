import type { JsonObject, Result } from '#platform/kernel';

/** What a person can choose of a source, or open. */
export interface Resource {
  readonly id: string;
  readonly name: string;
  /** `section`: holds others and cannot be chosen. */
  readonly kind: 'file' | 'folder' | 'drive' | 'section';
  readonly contentType: string | null;
  /** Bytes. */
  readonly size: number | null;
  /** ISO 8601. */
  readonly updatedAt: string | null;
  readonly link: string | null;
  /** Whether it is chosen itself. */
  readonly isSelected: boolean;
}

export interface ResourceRequest {
  /** Null: the top. */
  readonly parent: string | null;
  /** Words of the name, anywhere in the source. Null: what is in `parent`. */
  readonly search: string | null;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

export interface ResourcePage {
  readonly resources: readonly Resource[];
  readonly hasMore: boolean;
}

/** The parts of a source that a person chooses. All methods throw as `Source.list` does. */
export interface Resources {
  /** The error is a sentence: there is no such parent. */
  list(request: ResourceRequest, signal: AbortSignal): Promise<Result<ResourcePage, string>>;
  /** Returns the setup of a connection that reads these alone. The error is a sentence that names the one that cannot be chosen. */
  choose(ids: readonly string[], signal: AbortSignal): Promise<Result<JsonObject, string>>;
  /** What is chosen now. */
  chosen(): readonly { readonly id: string; readonly name: string }[];
}
