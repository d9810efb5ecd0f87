import { conversationText } from '../conversations/conversation-text.ts';
import { readWhatsApp } from '../conversations/whatsapp/whatsapp.ts';
import { readFrontMatter } from '../front-matter/front-matter.ts';
import { htmlToText, looksLikeHtml } from '../html.ts';
import { readJson } from '../json.ts';
import { readNotebook } from '../notebook/notebook.ts';
import { looksLikeSubtitles, subtitleText } from '../subtitles/subtitle-text.ts';
import { COMMON_LIMITS, type Extractor } from './extractor.ts';

/** Plain text and all that callers send as a string: transcripts, Markdown, HTML, JSON, notebooks, subtitles, chats. */
export const text: Extractor = {
  kind: 'text',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: ['txt', 'text', 'log'],
  mediaTypes: [],
  fileTypes: [],
  async toText(body) {
    const noted = await readFrontMatter(body);
    if (noted !== null) return noted;
    if (looksLikeHtml(body)) {
      const page = await htmlToText(body);
      // Markup without any words stays as it is, unless it hides some: the caller may have sent a text about markup.
      return page.text.trim() === '' && !page.isCut ? { text: body, title: null } : page;
    }
    const cues = looksLikeSubtitles(body) ? subtitleText(body) : null;
    if (cues !== null) return cues;
    const chat = readWhatsApp(body);
    if (chat !== null) return conversationText([chat]);
    if (!looksLikeJson(body)) return { text: body, title: null };
    return (await readNotebook(body)) ?? (await readJson(body)) ?? { text: body, title: null };
  },
};

function looksLikeJson(body: string): boolean {
  const start = body.slice(0, 200).trimStart()[0];
  const end = body.slice(-200).trimEnd().at(-1);
  return (start === '[' && end === ']') || (start === '{' && end === '}');
}
