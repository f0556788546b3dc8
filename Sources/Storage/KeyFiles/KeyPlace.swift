internal import PosixSupport

/// Where the key pair of a program is, and so whether the program can replace it.
///
/// A service manager hands a service secrets as files of the folder `$CREDENTIALS_DIRECTORY` (systemd's `LoadCredential=` and
/// `LoadCredentialEncrypted=`). If a credential has the key file's name, it is the key.
public enum KeyPlace: Hashable, Sendable {
    /// A folder in which the program itself creates and replaces the key.
    case folder(String)
    /// The folder of the service's credentials. `unused` is the folder in which the key would be otherwise.
    case credentials(String, unused: String)

    /// The path of the folder.
    public var path: String {
        switch self {
        case .folder(let path), .credentials(let path, _): path
        }
    }

    /// Whether the program can create and replace the key.
    public var canReplace: Bool {
        if case .folder = self { true } else { false }
    }

    /// Finds the place of a key file.
    /// - Parameters:
    ///   - folder: The program's own folder for keys.
    ///   - environment: The variables of the process.
    /// - Throws: ``KeyFileError`` if the credentials cannot be looked through.
    static func find(
        _ name: String, folder: String, environment: [String: String], fault: FileFault?
    ) throws(KeyFileError) -> KeyPlace {
        guard let path = environment["CREDENTIALS_DIRECTORY"], !path.isEmpty else { return .folder(folder) }
        let operation = "look for the key among the credentials in"
        guard let credentials = try PrivateFolder.ofCredentials(path, to: operation, fault: fault) else {
            return .folder(folder)
        }
        let entry = try credentials.rule.attempt(operation, path) { () throws(PosixError) in
            try credentials.folder.entry(name)
        }
        return entry == nil ? .folder(folder) : .credentials(path, unused: folder)
    }
}
