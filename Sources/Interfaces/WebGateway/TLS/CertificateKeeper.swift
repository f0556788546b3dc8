internal import CaptureModel
internal import Foundation
internal import Logging
internal import RigDocuments

internal import class PosixSupport.Locked

/// The certificate that new connections use. It is read again when its file changes, and one of the gateway's own is renewed in time.
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
    private let state: Locked<(identity: TLSIdentity, chain: [UInt8], problem: String?)>

    /// - Throws: ``UnusableCertificate``, or `KeyFileError`.
    init(_ place: CertificatePlace, names: [String], time: any TimeSource, log: Logger) throws {
        (self.place, self.names, self.time, self.log) = (place, names, time, log)
        let (identity, chain) = try Self.load(place, names, at: time.date)
        state = Locked((identity, chain, nil))
        log.info(
            "the certificate is loaded", metadata: ["sha256": "\(GatewayDocument.fingerprint(identity.fingerprint))"])
    }

    var identity: TLSIdentity { state.withLock(\.identity) }

    /// The fingerprint of a certificate that the gateway has made itself; nil for another one, for which its issuer vouches.
    var ownFingerprint: ContentDigest? {
        if case .own = place { identity.fingerprint } else { nil }
    }

    /// Follows the files until the task is cancelled. A file that cannot be used is told once; connections go on with the certificate before.
    func follow() async throws {
        while true {
            try await time.sleep(for: Self.interval)
            let result = Result { try Self.load(place, names, at: time.date) }
            state.withLock { state in
                switch result {
                case .success(let (identity, chain)):
                    state.problem = nil
                    guard chain != state.chain else { return }
                    (state.identity, state.chain) = (identity, chain)
                    log.info(
                        "the certificate is replaced",
                        metadata: ["sha256": "\(GatewayDocument.fingerprint(identity.fingerprint))"])
                case .failure(let error):
                    guard state.problem != "\(error)" else { return }
                    state.problem = "\(error)"
                    log.warning(
                        "the certificate cannot be renewed; the former stays in use", metadata: ["reason": "\(error)"])
                }
            }
        }
    }

    private static func load(
        _ place: CertificatePlace, _ names: [String], at now: Date
    ) throws -> (TLSIdentity, chain: [UInt8]) {
        switch place {
        case .own(let folder):
            let (chain, key) = try OwnCertificate(folder: folder, names: names).load(at: now)
            return (try TLSIdentity(chain: chain, key: key), chain)
        case .files(let certificate, let privateKey):
            let (chain, key) = (try bytes(of: certificate), try bytes(of: privateKey))
            do {
                return (try TLSIdentity(chain: chain, key: key), chain)
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

/// A certificate that a gateway cannot use: which, why, and what to do.
public struct UnusableCertificate: Error, CustomStringConvertible {
    public let description: String
}

extension TimeSource {
    /// The wall clock, for what other machines compare with theirs.
    fileprivate var date: Date {
        Date(timeIntervalSince1970: Double(wallClockPair().realtimeNanoseconds) / 1e9)
    }
}
