// What all examples need: where Mneme is, and a look at what it has remembered.
import { setTimeout as pause } from 'node:timers/promises';

const { MNEME_URL = 'http://127.0.0.1:6767', MNEME_API_KEY = '' } = process.env;

export const url = MNEME_URL;
export const key = MNEME_API_KEY;

/** Prints what is remembered of the user about a question. What was said is remembered in the background, so it waits. */
export async function showMemories(question, user) {
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await fetch(`${url}/v4/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ q: question, containerTag: user, threshold: 0 }),
    });
    if (!answer.ok) throw new Error(`Mneme answers ${answer.status}: ${await answer.text()}`);
    const { results } = await answer.json();
    for (const { memory } of results) console.log(`remembered: ${memory}`);
    if (results.length > 0) return;
    await pause(100);
  }
  throw new Error('Nothing was remembered within 30 seconds');
}
