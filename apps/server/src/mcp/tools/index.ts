import type { UnknownKeys } from '#platform/input';
import type { Tool } from '../tool.ts';
import { addMemory } from './add-memory.ts';
import { forgetMemory } from './forget-memory.ts';
import { getContext } from './get-context.ts';
import { getDocument } from './get-document.ts';
import { listDocuments } from './list-documents.ts';
import { listMemories } from './list-memories.ts';
import { listSpaces } from './list-spaces.ts';
import { prepareFileUpload } from './prepare-file-upload.ts';
import { searchMemory } from './search-memory.ts';
import { updateMemory } from './update-memory.ts';
import { whoAmI } from './who-am-i.ts';

/** In the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  searchMemory,
  addMemory,
  getContext,
  listDocuments,
  getDocument,
  listMemories,
  updateMemory,
  forgetMemory,
  listSpaces,
  whoAmI,
  prepareFileUpload,
];

/** Names by which clients of earlier servers call them, with further arguments. They are not listed. */
const FORMER: Readonly<Record<string, string>> = {
  recall: 'search_memory',
  memory: 'add_memory',
  listProjects: 'listSpaces',
};

/** Undefined: there is no tool with this name. */
export function toolNamed(name: string): { readonly tool: Tool; readonly unknownKeys: UnknownKeys } | undefined {
  const former = Object.hasOwn(FORMER, name) ? FORMER[name] : undefined;
  const tool = TOOLS.find((one) => one.name === (former ?? name));
  return tool && { tool, unknownKeys: former === undefined ? 'refuse' : 'ignore' };
}
