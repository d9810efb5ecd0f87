/** The settings that commands for models need. */
export interface ModelFolders {
  readonly dataFolder: string;
  readonly modelsFolder: string | null;
  readonly ocrLanguages: readonly string[];
  readonly ffmpeg: string | null;
}
