import { transcriptText } from './transcript-text.ts';

const said = (startSeconds: number, endSeconds: number, text: string) => ({ startSeconds, endSeconds, text });

describe('transcriptText', () => {
  it('gives each passage the second at which it begins', () => {
    const { text, sections } = transcriptText([
      said(0.004, 2, 'The goat'),
      said(2, 4.5, 'ate  the\nrope.'),
      said(9, 10, 'Rain.'),
    ]);
    expect(text).toBe('The goat ate the rope.\n\nRain.');
    expect(sections.map(([start, { startSeconds }]) => [text.slice(start, start + 3), startSeconds])).toEqual([
      ['The', 0],
      ['ate', 2],
      ['Rai', 9],
    ]);
  });

  it('begins a paragraph after a pause, and after a sentence where one has become long', () => {
    const sentences = Array.from({ length: 30 }, (_, i) =>
      said(i * 4, i * 4 + 4, `This is the sentence number ${i} of the talk.`),
    );
    const paragraphs = transcriptText(sentences).text.split('\n\n');
    expect(paragraphs.length).toBeGreaterThan(1);
    expect(paragraphs.every((one) => one.length < 600 && one.endsWith('.'))).toBe(true);
    const unended = sentences.map((one) => ({ ...one, text: 'and so on' }));
    expect(transcriptText(unended).text).not.toContain('\n');
  });

  it('makes no text of nothing', () => {
    expect(transcriptText([])).toEqual({ text: '', sections: [] });
    expect(transcriptText([said(0, 1, ' ')])).toEqual({ text: '', sections: [] });
  });
});
