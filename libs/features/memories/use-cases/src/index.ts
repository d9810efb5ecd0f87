export { ForgetMemories, type ForgottenBatch } from './forget-memories/forget-memories.command.ts';
export { ForgetMemory, type ForgetRefusal } from './forget-memory/forget-memory.command.ts';
export { ForgetMemoryInput, forgetMemory } from './forget-memory/forget-memory.input.ts';
export { GetMemoryEvents } from './get-memory-events/get-memory-events.query.ts';
export {
  ListMemoriesInput,
  listMemories,
  listPastMemories,
  pageOfMemories,
} from './list-memories/list-memories.input.ts';
export type { ListedMemory } from './list-memories/list-memories.query.ts';
export { MemoriesModule } from './memories.module.ts';
export { MemoryVisibility } from './memory-visibility.ts';
export type { RecordRefusal } from './record-memories/record-memories.command.ts';
export { RecordMemoriesInput, recordMemories } from './record-memories/record-memories.input.ts';
export { RestoreMemoriesInput, restoreMemories } from './restore-memories/restore-memories.input.ts';
export type { ReviseRefusal } from './revise-memory/revise-memory.command.ts';
export { ReviseMemoryInput, reviseMemory } from './revise-memory/revise-memory.input.ts';
