import { anthropicMessages } from './anthropic-messages.ts';
import type { ChatFormat } from './format.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

export const CHAT_FORMATS: readonly ChatFormat[] = [openaiChat, anthropicMessages, openaiResponses, gemini];
