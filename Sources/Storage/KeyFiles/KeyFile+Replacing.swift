internal import Glibc
public import PosixSupport
public import ZeroMQ

/// A key pair that was replaced and is still valid.
public struct RetiredKey: Sendable {
    /// The name of its file: that of the key, and the date of its end in UTC, as in `coordinator.key_secret.20261125T181203Z`.
    public let name: String
    public let pair: CurveKeyPair
}

/// The key pairs that were replaced and are kept.
public struct RetiredKeys: Sendable {
    /// In order of their dates.
    public internal(set) var keys: [RetiredKey] = []
    /// What is wrong with files that cannot be used. They are kept.
    public internal(set) var problems: [KeyFileError] = []
}

/// The two keys of a rotation.
public struct KeyReplacement: Sendable {
    /// The pair that the file has.
    public let current: CurveKeyPair
    public let retired: RetiredKey
    public let sharing: KeySharing
}

extension KeyFile {
    /// The most retired keys that are kept. A further rotation is refused.
    public static let retiredLimit = 16
    private static let replacing = "replace the key"

    /// Replaces the key by a new one. At every moment, and after a crash at any, the file has the whole old or the whole new key. The old one
    /// gets a further name first, which it keeps until ``remove(_:)``. After an error, read the file again: it may have either.
    /// - Parameters:
    ///   - holder: Whose key it is, for people.
    ///   - now: The wall clock's time, for the name of the old key.
    public func replace(holder: String, now: UTCDate) throws(KeyFileError) -> KeyReplacement {
        guard place.canReplace else { throw notReplaceable }
        guard let folder = try PrivateFolder.open(place.path, for: audience, to: Self.replacing, fault: fault) else {
            throw missing(Self.replacing)
        }
        let lock = try folder.lock(name, to: Self.replacing)
        defer { withExtendedLifetime(lock) {} }
        guard let old = try read(in: folder) else { throw missing(Self.replacing) }
        let retired = try retire(old.pair, in: folder, now: now)
        let new = try generate(Self.replacing)
        let content = KeyFileText.secret(new, of: holder, created: now)
        guard
            let sharing = try folder.publish(content, as: name, tag: new.tag, .replacing, to: Self.replacing)
        else {
            throw KeyFileError(
                .inUse, Self.replacing, path, "another process creates it", remedy: "repeat the command")
        }
        return KeyReplacement(current: new, retired: retired, sharing: sharing)
    }

    /// Returns the keys that were replaced and not removed.
    public func retired() throws(KeyFileError) -> RetiredKeys {
        guard place.canReplace,
            let folder = try PrivateFolder.open(place.path, for: audience, to: Self.reading, fault: fault)
        else { return RetiredKeys() }
        var found = try stored(in: folder)
        // A rotation that was cut short has left a second name of the current key.
        if let current = try read(in: folder)?.pair.publicKey {
            found.keys.removeAll { $0.pair.publicKey == current }
        }
        return found
    }

    /// Removes the file of a retired key durably. It is not an error if it does not exist.
    public func remove(_ retired: RetiredKey) throws(KeyFileError) {
        let operation = "remove the old key"
        guard place.canReplace, isRetired(retired.name) else { throw notReplaceable }
        guard let folder = try PrivateFolder.open(place.path, for: audience, to: operation, fault: fault) else {
            return
        }
        try folder.rule.attempt(operation, folder.path(of: retired.name)) { () throws(PosixError) in
            try folder.folder.remove(retired.name)
            try folder.folder.sync()
        }
    }

    /// Gives the current key a dated name, durably.
    private func retire(
        _ pair: CurveKeyPair, in folder: PrivateFolder, now: UTCDate
    ) throws(KeyFileError) -> RetiredKey {
        let kept = try stored(in: folder)
        if let present = kept.keys.first(where: { $0.pair.publicKey == pair.publicKey }) { return present }
        guard kept.keys.count + kept.problems.count < Self.retiredLimit else { throw tooManyRetired }
        let dated = "\(name).\(now.compactText)"
        let names = [dated] + (2...Self.retiredLimit + 1).map { "\(dated)-\($0)" }
        let taken = try folder.rule.attempt(Self.replacing, path) { () throws(PosixError) in
            Set(try folder.folder.names())
        }
        guard let free = names.first(where: { !taken.contains($0) }) else { throw tooManyRetired }
        try folder.rule.attempt(Self.replacing, path) { () throws(PosixError) in
            try folder.folder.linkOrCopy(name, in: folder.folder, to: free)
            try folder.folder.sync()
        }
        return RetiredKey(name: free, pair: pair)
    }

    /// Reads every file with a dated name of this key.
    private func stored(in folder: PrivateFolder) throws(KeyFileError) -> RetiredKeys {
        let names = try folder.rule.attempt(Self.reading, place.path) { () throws(PosixError) in
            try folder.folder.names()
        }
        var found = RetiredKeys()
        for name in names where isRetired(name) {
            do {
                guard let stored = try read(name, in: folder) else { continue }
                found.keys.append(RetiredKey(name: name, pair: stored.pair))
            } catch {
                found.problems.append(error)
            }
        }
        return found
    }

    /// Whether this is the name of a retired key: the key's own name, and a date.
    private func isRetired(_ candidate: String) -> Bool {
        guard candidate.hasPrefix(name + ".") else { return false }
        let date = candidate.dropFirst(name.count + 1).prefix { $0 != "-" }
        return date.count == 16 && date.last == "Z" && date.first?.isNumber == true
    }

    private var tooManyRetired: KeyFileError {
        KeyFileError(
            .tooManyRetired, Self.replacing, path, "\(Self.retiredLimit) replaced keys are kept beside it",
            remedy: "end the oldest ones first; to list them, run",
            command: "ls -l \(shellQuoted(place.path))")
    }

    private var notReplaceable: KeyFileError {
        let own = if case .credentials(_, let unused) = place { unused } else { place.path }
        return KeyFileError(
            .notReplaceable, Self.replacing, path,
            "it is a credential, which the service manager keeps and hands to this service at each start, so a new key "
                + "would be lost at the next start",
            remedy: "put a new key into the source of the credential, or remove LoadCredential= or "
                + "LoadCredentialEncrypted= for '\(name)' from the unit, so that this program keeps a key of its own in "
                + "\(own); then restart the service. To encrypt a key file as a credential, as root run",
            command:
                "systemd-creds encrypt --name=\(shellQuoted(name)) NEW_KEY_FILE /etc/credstore.encrypted/\(shellQuoted(name))"
        )
    }
}
