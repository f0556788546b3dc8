internal import CaptureModel
internal import Foundation
internal import Logging
internal import RigDocuments

internal import class PosixSupport.Locked

/// The certificate that new connections use. It is read again when its file changes.
///
/// | by this machine's clock, the certificate | of the gateway's own | of files |
/// |---|---|---|
/// | is valid | used | used |
/// | ends within ``OwnCertificate/reserve`` | made again | used |
/// | has not begun, as when the clock was wrong at its making; or has ended | made again | used, since the clock may be what is wrong; told in the log |
/// | cannot be read or made again | the one in use stays; told in the log, also when that one is not valid | the same |
final class CertificateKeeper: Sendable {
    /// How often the files are looked at.
    static let interval = Duration.seconds(60)
    /// The largest file that is read.
    private static let limit = 1 << 20

    private let place: CertificatePlace
    /// The names of the gateway's own certificate.
    private let names: [String]
    private let time: any TimeSource
    private let log: Logger
    private let state: Locked<State>

    /// A certificate with its key, and when it is valid; nil if that cannot be read.
    private struct Loaded {
        var identity: TLSIdentity
        var chain: [UInt8]
        var validity: CertificateValidity?

        init(chain: [UInt8], key: [UInt8]) throws {
            identity = try TLSIdentity(chain: chain, key: key)
            validity = try? CertificateValidity(ofChain: chain)
            self.chain = chain
        }
    }

    private struct State {
        var used: Loaded
        /// Why the files could not be used when they were read last.
        var problem: String?
        /// What the log says of the certificate that is used.
        var standing: CertificateValidity.Standing? = .valid
    }

    /// - Throws: ``UnusableCertificate``, or `KeyFileError`.
    init(_ place: CertificatePlace, names: [String], time: any TimeSource, log: Logger) throws {
        (self.place, self.names, self.time, self.log) = (place, names, time, log)
        let now = time.date
        let loaded = try Self.load(place, names, at: now)
        state = Locked(State(used: loaded))
        log.info(
            "the certificate is loaded",
            metadata: ["sha256": "\(GatewayDocument.fingerprint(loaded.identity.fingerprint))"])
        state.withLock { tellValidity(&$0, at: now) }
    }

    var identity: TLSIdentity { state.withLock(\.used.identity) }

    /// The fingerprint of a certificate that the gateway has made itself; nil for another one, for which its issuer vouches.
    var ownFingerprint: ContentDigest? {
        if case .own = place { identity.fingerprint } else { nil }
    }

    /// Follows the files until the task is cancelled. A file that cannot be used is told once; connections go on with the certificate before.
    func follow() async throws {
        while true {
            try await time.sleep(for: Self.interval)
            let now = time.date
            let result = Result { try Self.load(place, names, at: now) }
            state.withLock { state in
                switch result {
                case .success(let loaded):
                    state.problem = nil
                    if loaded.chain != state.used.chain {
                        state.used = loaded
                        log.info(
                            "the certificate is replaced",
                            metadata: ["sha256": "\(GatewayDocument.fingerprint(loaded.identity.fingerprint))"])
                    }
                case .failure(let error) where state.problem == "\(error)": break
                case .failure(let error):
                    state.problem = "\(error)"
                    log.warning(
                        "the certificate cannot be renewed; the former stays in use", metadata: ["reason": "\(error)"])
                }
                tellValidity(&state, at: now)
            }
        }
    }

    /// Writes to the log when the certificate that is used begins or ceases to be valid.
    private func tellValidity(_ state: inout State, at now: Date) {
        let standing = state.used.validity?.standing(at: now)
        guard standing != state.standing else { return }
        state.standing = standing
        var metadata: Logger.Metadata = ["clock": "\(now.text)"]
        if case .files(let certificate, _) = place { metadata["certificate"] = "\(certificate)" }
        if let validity = state.used.validity {
            metadata["notBefore"] = "\(Date(timeIntervalSince1970: Double(validity.notBefore)).text)"
            metadata["notAfter"] = "\(Date(timeIntervalSince1970: Double(validity.notAfter)).text)"
        }
        switch standing {
        case .valid: log.info("the certificate is valid again", metadata: metadata)
        case .notYetValid:
            log.warning(
                "the certificate or its chain is not valid yet, so browsers refuse it; check this machine's clock, or make it again",
                metadata: metadata)
        case .ended:
            log.warning(
                "the certificate or its chain is no longer valid, so browsers refuse it; check this machine's clock, or renew it",
                metadata: metadata)
        case nil:
            log.warning(
                "the certificate does not say when it is valid, so browsers may refuse it; make it again",
                metadata: metadata)
        }
    }

    private static func load(
        _ place: CertificatePlace, _ names: [String], at now: Date
    ) throws -> Loaded {
        switch place {
        case .own(let folder):
            let (chain, key) = try OwnCertificate(folder: folder, names: names).load(at: now)
            return try Loaded(chain: chain, key: key)
        case .files(let certificate, let privateKey):
            let (chain, key) = (try bytes(of: certificate), try bytes(of: privateKey))
            do {
                return try Loaded(chain: chain, key: key)
            } catch {
                throw UnusableCertificate(
                    description:
                        "the certificate \(certificate) with the private key \(privateKey) cannot be used (\(error)); "
                        + "both must be PEM, belong together, and the key must have no passphrase")
            }
        }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            let bytes = try file.read(upToCount: limit) ?? Data()
            guard bytes.count < limit else { throw CertificateProblem.empty }
            return Array(bytes)
        } catch {
            throw UnusableCertificate(
                description:
                    "\(path) cannot be read (\(error.localizedDescription)); name a PEM file that this program's user may read"
            )
        }
    }
}

extension TimeSource {
    /// The wall clock, for what other machines compare with theirs.
    fileprivate var date: Date {
        Date(timeIntervalSince1970: Double(wallClockPair().realtimeNanoseconds) / 1e9)
    }
}

extension Date {
    /// UTC, to the second.
    fileprivate var text: String { formatted(.iso8601) }
}
