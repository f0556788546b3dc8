internal import ZeroMQ

extension KeyFile {
    /// Returns the key pair in the content of the key file at `path`.
    static func pair(in bytes: [UInt8], of path: String) throws(KeyFileError) -> CurveKeyPair {
        let text: KeyFileText
        do {
            text = try KeyFileText(parsing: bytes)
        } catch {
            throw .unreadable(error, path)
        }
        guard let publicKey = text.publicKey else { throw .unreadable(.incomplete("it has no public-key"), path) }
        guard let secretKey = text.secretKey else { throw .unreadable(.incomplete("it has no secret-key"), path) }
        let pair: CurveKeyPair
        do {
            pair = try CurveKeyPair(secretKey: secretKey)
        } catch {
            throw .noCurve(error, reading, path)
        }
        guard pair.publicKey == publicKey else {
            throw KeyFileError(
                .mismatched, reading, path,
                "its public-key is \(publicKey), but that of its secret-key is \(pair.publicKey)",
                remedy: unusable, command: KeyFileError.moving(path, to: ".damaged"))
        }
        return pair
    }

    /// What to do about a key that is lost.
    fileprivate static let unusable =
        "restore the file from a backup; without one, the rig must admit the new key that is created after you have run"
}

extension KeyFileError {
    static func unreadable(_ flaw: KeyFileText.Flaw, _ path: String) -> KeyFileError {
        let (code, reason): (Code, String) =
            switch flaw {
            case .incomplete(let reason): (.incomplete, "it was not written to its end: \(reason)")
            case .damaged(let reason): (.damaged, "it is damaged: \(reason)")
            case .laterVersion(let version):
                (
                    .laterVersion,
                    "its caprig-key-version is \(version), and this program reads versions up to \(KeyFileText.version)"
                )
            }
        guard code != .laterVersion else {
            return KeyFileError(
                code, KeyFile.reading, path, reason,
                remedy: "install the version of the program that wrote it, or a later one")
        }
        return KeyFileError(
            code, KeyFile.reading, path, reason, remedy: KeyFile.unusable, command: moving(path, to: ".damaged"))
    }

    static func noCurve(_ error: ZeroMQError, _ operation: String, _ path: String) -> KeyFileError {
        KeyFileError(
            .noCurve, operation, path, "libzmq cannot make keys (\(error.code))",
            remedy: "install a libzmq that was built with CURVE, as Debian's is")
    }
}
