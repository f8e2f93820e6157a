/** How to reach a server of Hippo: `hippo serve --http`. */
export interface RestOptions {
  /** Its address, such as http://127.0.0.1:8420. Default: HIPPO_URL. */
  readonly url?: string;
  /** The text of a token. Default: HIPPO_TOKEN. */
  readonly token?: string;
  /** Milliseconds for an answer, 60,000 by default; 0: no limit. A verb for which the server takes longer waits at least as long; streams and imports have no limit. */
  readonly timeout?: number;
  /** Allows http: to another machine: anyone on the network path could read the token and the memories. */
  readonly insecureHttp?: boolean;
}

/** Options of a call. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
}

/** An export, or its lines. */
export type Lines = string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** An event of a stream. */
export interface StreamEvent {
  readonly kind: "ready" | "change" | "reset" | (string & {});
  readonly id: string;
  /** Describes the memory that changed. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The connection to a server. Every error is a HippoError. */
export declare class Rest {
  constructor(options?: RestOptions);
  /** Cancels the calls that run; others fail from now on. Closing again does nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
