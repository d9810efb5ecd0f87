import { KEY_EVENTS, ORGANIZATION_EVENTS } from '#features/access';
import { CONNECTION_EVENTS, ITEM_EVENTS } from '#features/connections';
import { CONTAINER_TAG_EVENTS, TAG_MERGE_EVENTS } from '#features/container-tags';
import {
  BULK_DELETION_EVENTS,
  CLAIM_EVENTS,
  CONTENT_LOSS_EVENTS,
  DOCUMENT_EVENTS,
  ERASURE_EVENTS,
  LINK_EVENTS,
  OPEN_DELETIONS_EVENTS,
  ORPHAN_EVENTS,
  REMOVAL_EVENTS,
} from '#features/documents';
import { QUOTA_EVENTS } from '#features/quotas';
import { SESSION_EVENTS } from '#features/sessions';
import { SECRET_EVENTS, SETTINGS_EVENTS } from '#features/settings';
import { MEMBER_EVENTS, OWNERS_EVENTS } from '#features/team';
import { ASKED_EVENTS, VECTOR_SPACE_EVENTS } from '#features/vector-spaces/model';
import { typesWith } from '#platform/kernel';
import { createUpcasters, STREAM_REOPENED } from '#ports/event-store';

/** Every event type by stream category; `docs/events.md` is tested against it. */
export const CATALOGUE = {
  document: DOCUMENT_EVENTS,
  customid: CLAIM_EVENTS,
  idempotency: CLAIM_EVENTS,
  containertag: { ...CONTAINER_TAG_EVENTS, ...STREAM_REOPENED },
  tagmerge: TAG_MERGE_EVENTS,
  settings: { ...SETTINGS_EVENTS, ...STREAM_REOPENED },
  secret: { ...SECRET_EVENTS, ...STREAM_REOPENED },
  connection: CONNECTION_EVENTS,
  connectionitems: ITEM_EVENTS,
  organization: ORGANIZATION_EVENTS,
  key: KEY_EVENTS,
  member: MEMBER_EVENTS,
  owners: OWNERS_EVENTS,
  session: SESSION_EVENTS,
  quotas: QUOTA_EVENTS,
  links: LINK_EVENTS,
  'vector-space': VECTOR_SPACE_EVENTS,
  asked: ASKED_EVENTS,
  'erasure-checkpoint': ERASURE_EVENTS,
  'content-loss': CONTENT_LOSS_EVENTS,
  'removed-streams': REMOVAL_EVENTS,
  orphans: ORPHAN_EVENTS,
  deletions: OPEN_DELETIONS_EVENTS,
  deletion: BULK_DELETION_EVENTS,
} as const;

/** Types of what callers write to tags. */
export const WRITES: ReadonlySet<string> = new Set([
  ...typesWith(DOCUMENT_EVENTS, ({ isWrite }) => isWrite),
  ...typesWith(CONTAINER_TAG_EVENTS, ({ isWrite }) => isWrite),
  ...typesWith(CONNECTION_EVENTS, ({ isWrite }) => isWrite),
]);

/** By event type and version: turns a payload of that version into the next one. No type has changed its form yet. */
const UPCASTS = {};

const versions = Object.values(CATALOGUE).flatMap((types) =>
  Object.entries(types).map(([type, { version }]) => [type, version] as const),
);

/** Brings what is in the log to the versions that this program knows. */
export const upcasters = createUpcasters(UPCASTS, Object.fromEntries(versions));
