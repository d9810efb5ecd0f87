// Copied beside the installed packages, so that their names are resolved there.
export { createOpenAI } from '@ai-sdk/openai';
export { supermemoryTools, withSupermemory as withAiSdk } from '@supermemory/tools/ai-sdk';
export { createClaudeMemoryTool } from '@supermemory/tools/claude-memory';
export { withSupermemory as withOpenAi } from '@supermemory/tools/openai';
export { generateText, streamText } from 'ai';
export { default as OpenAi } from 'openai';
