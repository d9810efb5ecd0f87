/** Elements that are left out with all that is in them: readings, and properties of content controls. */
export const LEFT_OUT: ReadonlySet<string> = new Set(['rt', 'rubyPr', 'sdtPr', 'sdtEndPr']);
/** Deleted, or moved to another place. In properties they are marks of a paragraph or a row, which mammoth reads. */
export const DELETED: ReadonlySet<string> = new Set(['del', 'moveFrom']);
/** Elements whose content stands for them: those that mammoth does not know, and links, which would not be shown. */
export const UNWRAPPED: ReadonlySet<string> = new Set(['ruby', 'rubyBase', 'hyperlink', 'smartTag', 'bdo', 'dir']);
/** The same, outside of Word's namespace: groups of shapes and of equations. */
export const GROUPS: ReadonlySet<string> = new Set(['wgp', 'grpSp', 'wpc', 'oMathPara']);
/** Elements that hold shapes, and with them text boxes. */
export const DRAWINGS: ReadonlySet<string> = new Set(['drawing', 'pict', 'object']);
export const PICTURES: ReadonlySet<string> = new Set(['blip', 'imagedata']);
/** What may stand in a run that is not shown, and has to be read. */
export const READ_UNSEEN: ReadonlySet<string> = new Set(['rPr', 'fldChar', 'instrText']);
