/** Hippo, a memory for AI agents, for programs. Every error is a HippoError. */

/** A memory in few tokens. */
export interface CompactMemory {
  /** The short ID: the last 8 hexadecimal digits. */
  readonly hash: string;
  /** At most 200 characters: the beginning, or of a long content the part that was found. */
  readonly preview: string;
  readonly tags: readonly string[];
  /** Seconds since 1970, UTC. */
  readonly created: number;
  /** The relevance, from 0; 1 where nothing was ranked. */
  readonly score: number;
  /** The whole ID. Every method that takes a hash takes it. */
  readonly id: string;
}

/** A page of memories, best first. */
export interface CompactSearchResult {
  readonly memories: readonly CompactMemory[];
  /** How many there are, on other pages, too. */
  readonly total: number;
  readonly query: string;
  /** Why these may well not answer the query; empty if they should. */
  readonly weak: string;
}

/** The state of the store. */
export interface CompactStorageInfo {
  /** "sqlite", "dir" or "memory". */
  readonly backend: string;
  readonly count: number;
  /** False if something is damaged: `hippo status` says what. */
  readonly ready: boolean;
  readonly version: string;
}

/** A memory whole. */
export interface Memory {
  readonly hash: string;
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly memoryType: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly situation: readonly string[];
  readonly importance: number;
  readonly created: number;
  /** All fields, as the program returns them. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Votes on a memory, or openings of it, of one kind for one question. */
export interface Vote {
  readonly kind: "up" | "down" | "opened";
  /** The active day of the newest of them. */
  readonly day: number;
  /** How many they are, decayed as of that day. */
  readonly weight: number;
  /** They count for questions like the one that was asked; otherwise for none in particular. */
  readonly tied: boolean;
  /** It is the newest vote, which unvote takes back. */
  readonly newest: boolean;
}

/** The options of every call. An aborted call is cancelled and rejects with the reason of the signal. */
export interface CallOptions {
  signal?: AbortSignal;
}

export interface ClientOptions {
  /** "sqlite:PATH" or "dir:PATH"; without it the program's own default. */
  store?: string;
  project?: string;
  namespace?: string;
  /** The program; without it $HIPPO_BINARY, or hippo of the path. */
  binary?: string;
  /** Milliseconds for a call of the program; 30,000 by default, 0: no limit. */
  timeout?: number;
  env?: Record<string, string | undefined>;
}

export interface StoreOptions extends CallOptions {
  tags?: string | readonly string[];
  memoryType?: string;
  metadata?: Readonly<Record<string, unknown>>;
  situation?: string | readonly string[];
  importance?: number;
}

/** What is given replaces; metadata is merged. What is blank changes nothing: clear empties fields, and removes keys of the metadata ("metadata.KEY"). */
export interface UpdateOptions extends CallOptions {
  tags?: string | readonly string[];
  memoryType?: string;
  metadata?: Readonly<Record<string, unknown>>;
  content?: string;
  /** Fields to empty: "situation", "tags", "type", "valid_from", "valid_until". */
  clear?: string | readonly string[];
}

export interface SearchOptions extends CallOptions {
  /** 5 by default. */
  limit?: number;
  /** The least score, 0 to 1. */
  threshold?: number;
  /** All must be there. */
  tags?: string | readonly string[];
}

/** A memory. Calls may run at the same time, over one warm connection to `hippo serve`. */
export class Client {
  constructor(options?: ClientOptions);
  search(query: string, options?: SearchOptions): Promise<CompactSearchResult>;
  /** Memories with any of the tags; of several tags the newest first. Without a limit all. */
  searchByTag(tags: string | readonly string[], options?: CallOptions & { limit?: number }): Promise<CompactSearchResult>;
  /** Memories of a time in words, such as "last week"; 5 unless limit says otherwise. */
  recall(when: string, options?: CallOptions & { limit?: number }): Promise<CompactSearchResult>;
  /** All matches, best first, batchSize (50) at a time. */
  searchIter(query: string, options?: CallOptions & { batchSize?: number }): AsyncGenerator<CompactMemory, void, void>;
  /** The hash of the memory, which is durable then; it is stored once. */
  store(content: string, options?: StoreOptions): Promise<string>;
  /** Forgets; `hippo restore` undoes it. False: no memory has that hash, or it was forgotten already. */
  delete(hash: string, options?: CallOptions): Promise<boolean>;
  /** False: no memory has that hash. */
  update(hash: string, changes: UpdateOptions): Promise<boolean>;
  /** Null: no memory has that hash. */
  expand(hash: string, options?: CallOptions): Promise<Memory | null>;
  get(hash: string, options?: CallOptions): Promise<Memory | null>;
  /** The votes on a memory and its openings, the newest last. Null: no memory has that hash. */
  votes(hash: string, options?: CallOptions): Promise<readonly Vote[] | null>;
  /** Takes back the newest vote; a HippoError with code "conflict" if there is none. False: no memory has that hash. */
  unvote(hash: string, options?: CallOptions): Promise<boolean>;
  health(options?: CallOptions): Promise<CompactStorageInfo>;
  /** Answers the calls that run, and ends the program. Without it the program ends with the process. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A call failed. code is an error code of Hippo; field and hint are empty if there is none. */
export class HippoError extends Error {
  readonly code: string;
  readonly field: string;
  readonly hint: string;
}
/** An argument breaks a rule; nothing was changed. */
export class InvalidError extends HippoError {}
export class NotFoundError extends HippoError {}
/** A text seems to hold a secret; nothing was stored. */
export class SecretError extends HippoError {}
/** The program is not there or cannot be started. */
export class ProgramNotFound extends HippoError {}
/** The program ended, or broke the protocol, before it answered, and so did the one started in its place. */
export class ConnectionLost extends HippoError {}
/** No answer arrived in time. A change may have been stored before the call was cancelled. */
export class TimedOut extends HippoError {}
