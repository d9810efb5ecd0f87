import { attribute, readXml } from '../xml.ts';
import { hidingStyles } from './inherited-hiding.ts';

/** Returns the names of the styles of an OpenDocument text that hide words. @param parts XML of the parts with styles */
export async function hiddenStyles(parts: readonly (Uint8Array | null)[]): Promise<ReadonlySet<string>> {
  const own = new Map<string, boolean>();
  const bases = new Map<string, string>();
  let open: string | null = null;
  for (const xml of parts) {
    if (xml === null) continue;
    await readXml(xml, {
      open: (name, attributes) => {
        if (name === 'style') {
          open = attribute(attributes, 'name') ?? '';
          const base = attribute(attributes, 'parent-style-name');
          // A style of a later part takes the place of one with the same name.
          own.delete(open);
          bases.delete(open);
          if (base !== undefined) bases.set(open, base);
        } else if (name === 'text-properties' && open !== null) {
          const display = attribute(attributes, 'display');
          if (display !== undefined) own.set(open, display === 'none');
        }
      },
      close: (name) => {
        if (name === 'style') open = null;
      },
    });
  }
  return hidingStyles(own, bases);
}
