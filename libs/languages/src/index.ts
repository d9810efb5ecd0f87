export { languageAmong, languageOf } from './detect.ts';
export { primaryLanguage } from './tags.ts';
