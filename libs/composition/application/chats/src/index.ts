export { ChatMemory, type PreparedChat } from './chat-memory.ts';
