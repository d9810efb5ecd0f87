/** The package ships no types. Lists by ISO 639-3 code. */
declare module 'stopword' {
  export const eng: readonly string[];
}
