import type { EventOf, Metadata } from '#kernel';

/** Dates of what a memory says. ISO 8601. */
export type TemporalContext = { readonly documentDate: string | null; readonly eventDate: readonly string[] | null };

/** A caller records a memory that belongs to no document. The first event of its stream. */
export type MemoryRecorded = { readonly contentVersion: number } & EventOf<
  'MemoryRecorded',
  {
    /** Of the first version, and of the stream. */
    readonly id: string;
    /** At most 10,000 characters, so that it needs no blob. */
    readonly text: string;
    readonly isStatic: boolean;
    readonly metadata: Metadata | null;
    /** ISO 8601. Null: it does not expire. */
    readonly forgetAfter: string | null;
    /** Why it expires. */
    readonly forgetReason: string | null;
    readonly temporalContext: TemporalContext | null;
  }
>;

/** One version of a memory, as its event holds it. */
export type VersionPayload = MemoryRecorded['payload'];

/** The memory has another version. Of the versions before it, nothing changes. */
export type MemoryRevised = { readonly contentVersion: number } & EventOf<
  'MemoryRevised',
  {
    /** Of the new version. */
    readonly id: string;
    readonly text: string;
    readonly isStatic: boolean;
    readonly metadata: Metadata | null;
    readonly forgetAfter: string | null;
    readonly forgetReason: string | null;
    readonly temporalContext: TemporalContext | null;
  }
>;

export type MemoryForgotten = EventOf<'MemoryForgotten', { readonly reason: string | null }>;

/** The memory is no longer forgotten, and no longer expired if it was. */
export type MemoryRestored = EventOf<'MemoryRestored', null>;

export type MemoryEvent = MemoryRecorded | MemoryRevised | MemoryForgotten | MemoryRestored;
