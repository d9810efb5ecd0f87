import { recording } from '../media/recording.ts';

/** What is said in a file of sound. */
export const audio = recording('audio', {
  extensions: ['mp3', 'wav', 'm4a', 'm4b', 'ogg', 'oga', 'opus', 'flac'],
  mediaTypes: ['audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/wav', 'audio/x-wav', 'audio/ogg', 'audio/flac'],
});
