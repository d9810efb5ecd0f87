import { createUpcasters } from '#event-store';

/**
 * The version that each type of event is written with. Raised together with a step in `UPCASTS` that turns the payload of
 * the version before into the new one, and a test that feeds the old form.
 */
const VERSIONS = {
  DocumentAdded: 1,
  ContentAppended: 1,
  ContentReplaced: 1,
  DetailsChanged: 1,
  StageStarted: 1,
  ContentExtracted: 1,
  ContentChunked: 1,
  MemoriesFormed: 1,
  UnitsEmbedded: 1,
  DocumentIndexed: 1,
  ProcessingFailed: 1,
  ProcessingRestarted: 1,
  DocumentDeleted: 1,
  NameClaimed: 1,
  NameReleased: 1,
  OrganizationFounded: 1,
  KeyIssued: 1,
  KeyRevoked: 1,
  ErasuresFinished: 1,
  VectorSpaceBegun: 1,
  VectorSpaceAbandoned: 1,
  VectorSpaceSelected: 1,
} as const;

/** No type has changed its form yet. */
const UPCASTS = {};

/** Brings what is in the log to the versions that this program knows. */
export const upcasters = createUpcasters(UPCASTS, VERSIONS);

/** @throws Error for a type that has no version: an event that nobody could read later must not be written */
export function schemaVersionOf(type: string): number {
  const version = (VERSIONS as Readonly<Record<string, number>>)[type];
  if (version === undefined) throw new Error(`the event ${type} has no schema version`);
  return version;
}
