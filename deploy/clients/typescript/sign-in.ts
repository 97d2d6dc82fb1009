// How the client gets its access token.
import { Problem } from "./problem.js";

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

/** Waits; does not throw. */
export function sleep(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
