import { recording } from '../media/recording.ts';

/** What is said in a file of video. */
export const video = recording('video', {
  extensions: ['mp4', 'm4v', 'mov', 'webm', 'mkv'],
  mediaTypes: ['video/mp4', 'video/quicktime', 'video/webm', 'video/x-matroska'],
});
