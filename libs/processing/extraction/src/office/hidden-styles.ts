import { attribute, readXml } from '../xml.ts';

/** Styles that one may be based on. */
const MAX_DEPTH = 100;

/** What a style of OpenDocument says itself. */
interface Style {
  readonly parent: string | undefined;
  /** Absent: it says nothing. */
  isHidden?: boolean;
}

/** Returns the names of the styles of an OpenDocument text that hide words. @param parts XML of the parts with styles */
export async function hiddenStyles(parts: readonly (Uint8Array | null)[]): Promise<ReadonlySet<string>> {
  const styles = new Map<string, Style>();
  let open: Style | null = null;
  for (const xml of parts) {
    if (xml === null) continue;
    await readXml(xml, {
      open: (name, attributes) => {
        if (name === 'style') {
          open = { parent: attribute(attributes, 'parent-style-name') };
          styles.set(attribute(attributes, 'name') ?? '', open);
        } else if (name === 'text-properties' && open !== null) {
          const display = attribute(attributes, 'display');
          if (display !== undefined) open.isHidden = display === 'none';
        }
      },
      close: (name) => {
        if (name === 'style') open = null;
      },
    });
  }
  const hides = (name: string): boolean => {
    let style = styles.get(name);
    for (let i = 0; i < MAX_DEPTH && style !== undefined && style.isHidden === undefined; i++) {
      style = styles.get(style.parent ?? '');
    }
    return style?.isHidden === true;
  };
  return new Set([...styles.keys()].filter(hides));
}
