import type { ConversationFormat } from './conversation.ts';
import { anthropic } from './formats/anthropic.ts';
import { chatGptExport } from './formats/chatgpt-export.ts';
import { claudeExport } from './formats/claude-export.ts';
import { discord } from './formats/discord.ts';
import { discordPackage } from './formats/discord-package.ts';
import { gemini } from './formats/gemini.ts';
import { openAiResponses } from './formats/openai-responses.ts';
import { otherMessages } from './formats/other-messages.ts';
import { slack } from './formats/slack.ts';
import { teams } from './formats/teams.ts';
import { teamsExport } from './formats/teams-export.ts';
import { telegram } from './formats/telegram.ts';

/** The first that reads a value decides; the last one reads what the others have in common. */
export const CONVERSATION_FORMATS: readonly ConversationFormat[] = [
  ...[chatGptExport, claudeExport, slack, discord, discordPackage, telegram, teams, teamsExport],
  ...[openAiResponses, anthropic, gemini, otherMessages],
];

/** Files of WhatsApp, which are texts. The name of one of Android names the people of the chat. */
const WHATSAPP_FILES = [
  { file: /(?<=^|\/)_chat\.txt$/i, called: null },
  { file: /WhatsApp[^/]{0,200}\.txt$/i, called: 'the text file' },
] as const;

/** Returns how a file with conversations in an archive is called, by the names in it. Null: there is none. */
export function conversationFileIn(names: readonly string[]): string | null {
  const archived = CONVERSATION_FORMATS.flatMap(({ archived: file }) => (file ? [{ file, called: null }] : []));
  for (const { file, called } of [...archived, ...WHATSAPP_FILES]) {
    for (const name of names) {
      const [found] = file.exec(name) ?? [];
      if (found !== undefined) return called ?? found;
    }
  }
  return null;
}
