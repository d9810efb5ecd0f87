import type { Connector } from '../connector.ts';
import type { ConnectorTools } from '../tools.ts';
import { folder } from './folder/folder.ts';
import { github } from './github/github.ts';
import { googleDrive } from './google-drive/google-drive.ts';
import { notion } from './notion/notion.ts';
import { rclone } from './rclone/rclone.ts';
import { s3 } from './s3/s3.ts';
import { webCrawler } from './web-crawler/web-crawler.ts';

/** All kinds of sources. */
export const CONNECTORS: readonly ((tools: ConnectorTools) => Connector)[] = [
  folder,
  github,
  googleDrive,
  notion,
  rclone,
  s3,
  webCrawler,
];
