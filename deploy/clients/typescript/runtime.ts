// What every call of the client has in common: its options, sending, and repeating.
// Runs in Node 18 or newer and in browsers.
import { NotModified, Problem, documentOf } from "./problem.js";
import { sleep, type Send, type TokenSource } from "./sign-in.js";

/** What an answer has beside its body. */
export interface Received {
    status: number;
    headers: Headers;
    etag: string | null;
}

/** What every call takes. */
export interface CallOptions {
    /** Cancels the call. */
    signal?: AbortSignal;
    /** Gets what the answer has beside its body. */
    received?: (answer: Received) => void;
}

/** Options of calls that can be made conditional. */
export interface ConditionalOptions extends CallOptions {
    /** The ETag that must still be current. */
    ifMatch?: string;
    /** The ETag you have. If it is still current, the call throws `NotModified`. */
    ifNoneMatch?: string;
}

/** Options of calls that can be repeated without being done twice. */
export interface KeyedOptions extends ConditionalOptions {
    /** Names the call. Without one, each call gets its own. */
    idempotencyKey?: string;
}

/** How the client behaves when the server or the network does not answer as hoped. */
export interface Patience {
    /** How often one call is sent at most; 5. */
    attempts?: number;
    /** How many seconds it waits at most before it sends a call again; 60. */
    longestPause?: number;
}

type Value = string | number | boolean | undefined | readonly string[];

/** A query by its names in the API. */
export type Query = { readonly [name: string]: Value };

interface Sent {
    document?: unknown;
    body?: BodyInit;
    contentType?: string;
    accept?: string;
    honoursKey?: boolean;
    options?: KeyedOptions;
}

/** Sends calls. After 429, 503 and lost connections it repeats them when that does no harm. */
export class Runtime {
    private readonly url: string;
    private readonly attempts: number;
    private readonly longestPause: number;
    private pending: Promise<unknown> = Promise.resolve();

    constructor(url: string, private readonly signIn: TokenSource, patience: Patience = {}) {
        this.url = url.replace(/\/+$/, "");
        this.attempts = patience.attempts ?? 5;
        this.longestPause = patience.longestPause ?? 60;
    }

    private readonly sendForm: Send = async (path, form) => {
        const answer = await this.repeat(false, () =>
            fetch(this.url + path, {
                method: "POST", body: new URLSearchParams(form), headers: { Accept: "application/json" },
            }));
        return { status: answer.status, document: await documentOf(answer) };
    };

    /** Sends until there is an answer that another attempt would not change. */
    private async repeat(isSafe: boolean, send: () => Promise<Response>): Promise<Response> {
        let pause = 0.5;
        for (let attempt = 1; ; attempt += 1) {
            let wait = pause * (1 + Math.random() / 2);
            try {
                const answer = await send();
                // Neither 429 nor 503 has changed anything. After 502 and 504, and while another call with the same
                // idempotency key runs, that is not known.
                const asksAgain = [429, 503].includes(answer.status)
                    || (isSafe && ([502, 504].includes(answer.status)
                        || (answer.status === 409 && answer.headers.has("Retry-After"))));
                if (!asksAgain || attempt >= this.attempts) return answer;
                const asked = Number(answer.headers.get("Retry-After") ?? "0");
                if (asked > this.longestPause) return answer;
                wait = Math.max(wait, asked || 0);
                await answer.body?.cancel();
            } catch (error) {
                // What was cancelled stays so.
                const isCancelled = error instanceof Error && error.name === "AbortError";
                if (!isSafe || isCancelled || attempt >= this.attempts) throw error;
            }
            await sleep(Math.min(wait, this.longestPause));
            pause *= 2;
        }
    }

    /** One call asks for a token at a time; the others wait for it. */
    private token(stale: string | null): Promise<string> {
        const next = this.pending.catch(() => undefined)
            .then(() => this.signIn.token(this.sendForm, stale));
        this.pending = next;
        return next;
    }

    /** Sends a call and returns its answer if it succeeded. */
    protected async send(
        method: string, path: string, query: Query, sent: Sent = {},
    ): Promise<Response> {
        const given = new URLSearchParams();
        for (const [name, values] of Object.entries(query)) {
            for (const value of Array.isArray(values) ? values : [values]) {
                if (value !== undefined) given.append(name, String(value));
            }
        }
        const target = `${this.url}${path}${given.toString() === "" ? "" : `?${given.toString()}`}`;
        const headers = headersOf(sent);
        const body = sent.document === undefined ? sent.body : JSON.stringify(sent.document);
        const isSafe = sent.honoursKey === true || ["GET", "PUT", "DELETE"].includes(method);
        let stale: string | null = null;
        for (;;) {
            const token: string = await this.token(stale);
            headers.set("Authorization", `Bearer ${token}`);
            const answer: Response = await this.repeat(isSafe, () =>
                fetch(target, {
                    method, headers, ...(body === undefined ? {} : { body }),
                    ...(sent.options?.signal === undefined ? {} : { signal: sent.options.signal }),
                }));
            // It may have expired on the way. A second refusal counts.
            if (answer.status === 401 && stale === null) {
                stale = token;
                await answer.body?.cancel();
                continue;
            }
            sent.options?.received?.({
                status: answer.status, headers: answer.headers, etag: answer.headers.get("ETag"),
            });
            if (answer.status === 304) throw new NotModified();
            if (!answer.ok) throw new Problem(answer.status, await documentOf(answer));
            return answer;
        }
    }

    protected async json<T>(
        method: string, path: string, query: Query, sent: Sent = {},
    ): Promise<T> {
        const answer = await this.send(method, path, query, { accept: "application/json", ...sent });
        const text = await answer.text();
        return (text === "" ? undefined : JSON.parse(text)) as T;
    }

    protected async *items<T>(
        path: string, query: Query, options?: CallOptions,
    ): AsyncGenerator<T, void, undefined> {
        let token: string | undefined;
        do {
            const page: { items: T[]; nextPageToken?: string } = await this.json(
                "GET", path, token === undefined ? query : { ...query, pageToken: token },
                options === undefined ? {} : { options });
            yield* page.items;
            token = page.nextPageToken;
        } while (token !== undefined);
    }
}

function headersOf(sent: Sent): Headers {
    const headers = new Headers();
    const { options } = sent;
    if (sent.accept !== undefined) headers.set("Accept", sent.accept);
    if (sent.document !== undefined) headers.set("Content-Type", "application/json");
    if (sent.contentType !== undefined) headers.set("Content-Type", sent.contentType);
    if (options?.ifMatch !== undefined) headers.set("If-Match", options.ifMatch);
    if (options?.ifNoneMatch !== undefined) headers.set("If-None-Match", options.ifNoneMatch);
    if (sent.honoursKey === true) {
        headers.set("Idempotency-Key", options?.idempotencyKey ?? uniqueKey());
    }
    return headers;
}

/** Node 18 has no `crypto` unless asked; a key only has to differ from the caller's others. */
function uniqueKey(): string {
    if (typeof crypto !== "undefined" && "randomUUID" in crypto) return crypto.randomUUID();
    const part = (): string => Math.random().toString(36).slice(2);
    return `${Date.now().toString(36)}-${part()}-${part()}`;
}

/** A value as one segment of a path. */
export function segment(value: string): string {
    return encodeURIComponent(value);
}
