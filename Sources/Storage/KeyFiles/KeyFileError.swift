internal import Glibc
public import PosixSupport

/// A private file that cannot be used: which file, what is wrong with it, and what mends it.
public struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// There is no such file.
        case missing
        /// This process may not read or write it.
        case notPermitted
        /// The mode of a file or folder lets more users use it than asked.
        case looseMode
        /// The file system gives every file the same permissions, so that nothing in it is private.
        case permissionsIgnored
        /// A file or folder belongs to a user who is neither this process's nor root.
        case foreignOwner
        /// A shared file or folder belongs to another group.
        case wrongGroup
        /// A symbolic link is in the place of the file.
        case symbolicLink
        /// Something else than a regular file is in the place of the file.
        case notAFile
        /// The file is longer than any file of its kind.
        case tooLarge
        /// The file ends before its content does.
        case incomplete
        /// The file's content is not what it should be.
        case damaged
        /// A later version of the program wrote the file.
        case laterVersion
        /// The public key does not belong to the secret key.
        case mismatched
        /// Another program keeps the key, so that this one cannot replace it.
        case notReplaceable
        /// Another process is changing the file.
        case inUse
        /// Too many replaced keys are kept.
        case tooManyRetired
        /// The system refuses an operation for another reason.
        case inputOutput
        /// libzmq cannot compute keys.
        case noCurve
    }

    public var code: Code
    /// The operation, as it reads after "cannot", such as `read the key`.
    public var operation: String
    /// The path of the file or folder concerned.
    public var subject: String
    /// What is wrong.
    public var reason: String
    /// What to do, as the end of a sentence.
    public var remedy: String
    /// The command that mends it, for a shell; nil if no command alone does.
    public var command: String?
    /// The failed system call, if there is one.
    public var cause: PosixError?

    init(
        _ code: Code, _ operation: String, _ subject: String, _ reason: String, remedy: String,
        command: String? = nil, cause: PosixError? = nil
    ) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.reason = reason
        self.remedy = remedy
        self.command = command
        self.cause = cause
    }

    public var description: String {
        let sentence = "cannot \(operation) \(subject): \(reason); \(remedy)"
        return command.map { "\(sentence): \($0)" } ?? sentence
    }
}

extension KeyFileError {
    static func notAFile(_ operation: String, _ path: String) -> KeyFileError {
        KeyFileError(
            .notAFile, operation, path, "it is not a regular file",
            remedy: "move it away and put the file in its place",
            command: moving(path, to: ".other"))
    }

    static func tooLarge(_ byteCount: Int64, _ limit: Int, _ operation: String, _ path: String) -> KeyFileError {
        KeyFileError(
            .tooLarge, operation, path, "it has \(byteCount) bytes, and such a file has at most \(limit)",
            remedy: "put the right file in its place, or move this one away", command: moving(path, to: ".other"))
    }

    static func permissionsIgnored(_ error: KeyFileError) -> KeyFileError {
        KeyFileError(
            .permissionsIgnored, error.operation, error.subject,
            "the file system keeps no permissions, so that what is in it cannot be kept from other users (\(error.reason))",
            remedy: "use a folder on another one, such as ext4, xfs or btrfs")
    }

    /// Returns the error with what configures another folder, if a folder on another file system is what mends it.
    /// - Parameter option: Such as `set keys.folder (--keys)`.
    public func mended(by option: String) -> KeyFileError {
        var error = self
        if code == .permissionsIgnored { error.remedy += ": \(option)" }
        return error
    }

    /// Performs work on keys whose folder an option configures; see ``mended(by:)``.
    public static func mended<Result>(
        by option: String, _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as KeyFileError {
            throw error.mended(by: option)
        }
    }

    /// Returns the command that moves a file away. A file that already has the new name is renamed, not replaced.
    static func moving(_ path: String, to suffix: String) -> String {
        "mv --backup=numbered \(shellQuoted(path)) \(shellQuoted(path + suffix))"
    }
}

extension PrivacyRule {
    /// Performs file work, and translates its error.
    func attempt<Result>(
        _ operation: String, _ path: String, _ work: () throws(PosixError) -> Result
    ) throws(KeyFileError) -> Result {
        do {
            return try work()
        } catch {
            throw translated(error, operation, path)
        }
    }

    /// Returns the error of a failed system call on the file or folder `path`.
    func translated(_ error: PosixError, _ operation: String, _ path: String) -> KeyFileError {
        switch error.code {
        case ENOENT:
            KeyFileError(
                .missing, operation, path, "there is no such file", remedy: "check the path", cause: error)
        case EACCES, EPERM: notPermitted(error, operation, path)
        case ELOOP:
            KeyFileError(
                .symbolicLink, operation, path, "it is a symbolic link, which may point to a file of another user",
                remedy: "put the file itself in its place; if you trust it, run",
                command: "install -m 0600 \"$(readlink -f \(shellQuoted(path)))\" \(shellQuoted(path))", cause: error)
        case ENXIO, ENOTDIR: .notAFile(operation, path)
        default:
            KeyFileError(
                .inputOutput, operation, path, "\(error)", remedy: "mend that and repeat the command", cause: error)
        }
    }

    private func notPermitted(_ error: PosixError, _ operation: String, _ path: String) -> KeyFileError {
        let name = Accounts.name(ofUser: user)
        let reason = "user '\(name)', as which this program runs, may not use it (\(error.name))"
        guard let groupName = audience.groupName else {
            return KeyFileError(
                .notPermitted, operation, path, reason,
                remedy: "run the program as the file's owner; to see who that is, run",
                command: "ls -l \(shellQuoted(path))", cause: error)
        }
        return KeyFileError(
            .notPermitted, operation, path, "\(reason); the members of group '\(groupName)' may",
            remedy: "log in again after root ran",
            command: "usermod --append --groups \(shellQuoted(groupName)) \(shellQuoted(name))", cause: error)
    }
}

/// Text as a shell reads it back as one word.
func shellQuoted(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "/._-+@:,".utf8.contains(byte)
    }
    // A quote ends the quoted part, stands by itself behind a backslash, and begins the next part.
    return plain && !text.isEmpty
        ? text : "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
}
