import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The parts of the packages in `models/package.json` that the tests use. */
export interface Models {
  readonly OpenAi: new (options: ClientOptions) => OpenAiClient;
  readonly Anthropic: new (options: ClientOptions) => AnthropicClient;
}

interface ClientOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly defaultHeaders: Readonly<Record<string, string>>;
  readonly maxRetries: number;
}

interface OpenAiClient {
  readonly chat: {
    readonly completions: {
      create(
        call: object,
      ): Promise<{ choices: readonly { message: { content: string } }[] }> &
        Promise<AsyncIterable<{ choices: readonly { delta: { content?: string } }[] }>>;
    };
  };
  readonly responses: {
    create(call: object): Promise<{ output_text: string }> & Promise<AsyncIterable<{ type: string; delta?: string }>>;
  };
}

interface AnthropicClient {
  readonly messages: {
    create(call: object): Promise<{ content: readonly { text: string }[] }>;
    stream(call: object): { finalText(): Promise<string> };
  };
}

export const loadModels = (folder: string): Promise<Models> =>
  import(pathToFileURL(join(folder, 'entry.mjs')).href) as Promise<Models>;
