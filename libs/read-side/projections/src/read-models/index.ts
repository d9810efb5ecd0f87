import type { ReadModel } from '../read-model.ts';
import { AUDIT_ENTRIES } from './audit.ts';
import { ITEMS_OF_CONNECTIONS } from './connection-items.ts';
import { CONNECTIONS_OF_ORGANIZATIONS } from './connections.ts';
import { DOCUMENTS } from './documents.ts';
import { VERSIONS_OF_MEMORIES } from './memory-versions.ts';
import { TAG_VALUES } from './tag-values.ts';

/** Every read model. Another one is a file in this folder and a line here. */
export const READ_MODELS: readonly ReadModel[] = [
  DOCUMENTS,
  TAG_VALUES,
  VERSIONS_OF_MEMORIES,
  AUDIT_ENTRIES,
  CONNECTIONS_OF_ORGANIZATIONS,
  ITEMS_OF_CONNECTIONS,
];
