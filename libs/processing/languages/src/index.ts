export { languageAmong, languageOf } from './detect.ts';
export { codePoints, codeUnits, oneLine, shortened, withoutFrames } from './shorten.ts';
export { primaryLanguage } from './tags.ts';
