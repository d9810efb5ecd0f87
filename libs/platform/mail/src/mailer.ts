/** A mail of plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Address under which clients reach the server: links in mails start with it. */
  readonly publicUrl: string;
  /**
   * Sends a mail, in several attempts while the mail server may take it later.
   * @returns why it could not be sent; null: the mail server has it
   */
  send(mail: Mail): Promise<string | null>;
}

/** Null under this token: the server sends no mail. */
export const MAILER = Symbol('Mailer');
