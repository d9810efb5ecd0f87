import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from './file-system.ts';

/** The parts of the packages in `tools/package.json` that the tests use. */
export interface Tools {
  createClaudeMemoryTool(apiKey: string, config: ToolsConfig): FileMemoryTool;
  supermemoryTools(apiKey: string, config: ToolsConfig): Record<ToolName, { execute(input: object): Promise<object> }>;
  createOpenAI(options: { baseURL: string; apiKey: string }): { chat(model: string): LanguageModel };
  withAiSdk(model: LanguageModel, options: SavingOptions): LanguageModel;
  generateText(options: Prompt): Promise<{ readonly text: string }>;
  streamText(options: Prompt): { readonly text: Promise<string> };
  readonly OpenAi: new (options: { baseURL: string; apiKey: string }) => OpenAiClient;
  withOpenAi(client: OpenAiClient, options: SavingOptions): OpenAiClient;
}

type ToolName = 'searchMemories' | 'getProfile' | 'documentAdd' | 'documentList' | 'documentDelete' | 'memoryForget';

interface ToolsConfig {
  readonly baseUrl: string;
  readonly containerTags?: readonly string[];
  readonly projectId?: string;
}

interface FileMemoryTool {
  handleCommand(command: Command): Promise<{ success: boolean; content?: string; error?: string }>;
}

declare const model: unique symbol;
interface LanguageModel {
  readonly [model]: never;
}

interface SavingOptions {
  readonly containerTag: string;
  readonly customId: string;
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly mode?: 'profile' | 'query' | 'full';
  readonly skipMemoryOnError?: boolean;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

interface Prompt {
  readonly model: LanguageModel;
  readonly messages: readonly ChatMessage[];
}

interface OpenAiClient {
  readonly chat: {
    readonly completions: {
      create(request: { model: string; messages: readonly ChatMessage[] }): Promise<{
        readonly choices: readonly { readonly message: ChatMessage }[];
      }>;
    };
  };
}

export async function loadTools(folder: string): Promise<Tools> {
  return (await import(pathToFileURL(join(folder, 'entry.mjs')).href)) as Tools;
}
