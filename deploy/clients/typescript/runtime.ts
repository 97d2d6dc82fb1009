// What every call of the client has in common: signing in, sending, repeating, and what goes wrong.
// Runs in Node 18 or newer and in browsers.

/** What is wrong at one place of a body. */
export interface InvalidField {
    /** A JSON pointer (RFC 6901). */
    pointer: string;
    code: string;
    detail: string;
}

/** An error of the API (RFC 9457). `code` is for programs and never changes; `detail` is for people. */
export class Problem extends Error {
    readonly code: string;
    readonly title: string;
    readonly detail: string;
    /** The id of the request. Quote it when you ask for help. */
    readonly instance: string;
    readonly errors: InvalidField[];

    constructor(readonly status: number, document: Record<string, unknown>) {
        const text = (...names: string[]): string => {
            for (const name of names) {
                const value = document[name];
                if (typeof value === "string") return value;
            }
            return "";
        };
        super(`${status} ${text("code", "error")}: ${text("detail", "error_description", "title")}`);
        this.name = "Problem";
        this.code = text("code", "error");
        this.title = text("title");
        this.detail = text("detail", "error_description");
        this.instance = text("instance");
        this.errors = Array.isArray(document.errors) ? (document.errors as InvalidField[]) : [];
    }
}

/** Your ETag is still current (304). */
export class NotModified extends Error {
    constructor() {
        super("not modified");
        this.name = "NotModified";
    }
}

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

/** Sends a form to a path. */
export type Send = (
    path: string, form: Record<string, string>,
) => Promise<{ status: number; document: Record<string, unknown> }>;

/** How the client gets its access token. */
export interface TokenSource {
    /** A token that is not `stale`, which the server has refused. */
    token(send: Send, stale: string | null): Promise<string>;
}

/** A token that you have already. */
export class AccessToken implements TokenSource {
    constructor(private readonly value: string) {}

    async token(): Promise<string> {
        return this.value;
    }
}

/** The client id and secret of a service account. */
export class ClientCredentials implements TokenSource {
    private readonly form: Record<string, string>;
    private current: string | null = null;
    private goodUntil = 0;

    constructor(clientId: string, clientSecret: string, scope?: string) {
        this.form = {
            grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret,
            ...(scope === undefined ? {} : { scope }),
        };
    }

    async token(send: Send, stale: string | null): Promise<string> {
        if (this.current === null || this.current === stale || Date.now() > this.goodUntil) {
            const { status, document } = await send("/oauth/token", this.form);
            if (status !== 200) throw new Problem(status, document);
            this.current = String(document.access_token);
            // A minute early, for clocks and slow networks.
            this.goodUntil = Date.now() + (Number(document.expires_in) - 60) * 1000;
        }
        return this.current;
    }
}

/**
 * Signs a person in to an app, with a code that the person types in at another device (RFC 8628).
 *
 * `show` gets the address to open and the code. `keep` gets each new refresh token, to be given as `refreshToken` the
 * next time; it works once.
 */
export class DeviceCode implements TokenSource {
    private current: string | null = null;

    constructor(
        private readonly bundleId: string, private readonly show: (address: string, code: string) => void,
        private refreshToken: string | null = null,
        private readonly keep: (refreshToken: string) => void = () => undefined,
    ) {}

    async token(send: Send, stale: string | null): Promise<string> {
        if (this.current !== null && this.current !== stale) return this.current;
        if (this.refreshToken !== null) {
            const { status, document } = await this.grant(send, {
                grant_type: "refresh_token", refresh_token: this.refreshToken,
            });
            if (status === 200) return this.take(document);
            this.refreshToken = null;
        }
        return this.take(await this.ask(send));
    }

    private async ask(send: Send): Promise<Record<string, unknown>> {
        const asked = await send("/oauth/device_authorization", { client_id: this.bundleId });
        if (asked.status !== 200) throw new Problem(asked.status, asked.document);
        this.show(String(asked.document.verification_uri), String(asked.document.user_code));
        let pause = Number(asked.document.interval);
        for (;;) {
            await sleep(pause);
            const { status, document } = await this.grant(send, {
                grant_type: "urn:ietf:params:oauth:grant-type:device_code",
                device_code: String(asked.document.device_code),
            });
            if (status === 200) return document;
            if (document.error === "slow_down") pause += 5;
            else if (document.error !== "authorization_pending") throw new Problem(status, document);
        }
    }

    private grant(send: Send, form: Record<string, string>): ReturnType<Send> {
        return send("/oauth/token", { client_id: this.bundleId, ...form });
    }

    private take(document: Record<string, unknown>): string {
        this.refreshToken = String(document.refresh_token);
        this.keep(this.refreshToken);
        this.current = String(document.access_token);
        return this.current;
    }
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

async function documentOf(answer: Response): Promise<Record<string, unknown>> {
    try {
        const document: unknown = await answer.json();
        return typeof document === "object" && document !== null
            ? (document as Record<string, unknown>) : {};
    } catch {
        return {};
    }
}

function sleep(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
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
