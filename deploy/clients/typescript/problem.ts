// What goes wrong with a call.

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

/** What an answer says is wrong; empty if it is not JSON. */
export async function documentOf(answer: Response): Promise<Record<string, unknown>> {
    try {
        const document: unknown = await answer.json();
        return typeof document === "object" && document !== null
            ? (document as Record<string, unknown>) : {};
    } catch {
        return {};
    }
}
