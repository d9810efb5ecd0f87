import { type Attributes, readXml } from '../../xml.ts';
import type { Zip } from '../../zip.ts';
import { linkedTexts } from '../drawings/linked-texts.ts';
import { relationships } from '../ooxml.ts';
import { hiddenStyles } from './hidden-text.ts';
import { Margins } from './margins.ts';
import { WordPart } from './part.ts';

const NOTES = /^word\/(?:footnotes|endnotes)\d*\.xml$/;

/**
 * Returns the parts of a Word document that hold text, by their paths, as a person sees them. Headers stand above the body,
 * footers below it.
 * @param main path of the main part
 * @throws ExtractionError for elements that are nested too deeply for mammoth, which is recursive
 */
export async function readableParts(zip: Zip, main: string, xml: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const hidden = await hiddenStyles(zip.read('word/styles.xml'));
  const margins = new Margins();
  const targets = await relationships(zip, main);
  const section = (name: string, attributes: Attributes) => margins.add(name, attributes);
  const body = new WordPart(hidden, { section, linked: await linkedTexts(zip, targets) });
  await readXml(xml, body);
  const { header, footer } = await margins.read(zip, targets, hidden);
  const parts = new Map([[main, Buffer.from(body.xml(header, footer))]]);
  for (const name of zip.names.filter((one) => NOTES.test(one))) {
    const notes = new WordPart(hidden);
    await readXml(zip.read(name) ?? new Uint8Array(), notes);
    parts.set(name, Buffer.from(notes.xml()));
  }
  return parts;
}
