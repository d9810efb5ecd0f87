// Copied beside the installed packages, so that their names are resolved there.
export { default as Anthropic } from '@anthropic-ai/sdk';
export { GoogleGenAI } from '@google/genai';
export { default as OpenAi } from 'openai';
