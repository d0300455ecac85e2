# token-ruby.rb KEY KID TEAM: signed by dsa_sign_asn1, as apnotic does.
require "base64"
require "json"
require "openssl"

path, kid, team = ARGV
part = ->(text) { Base64.urlsafe_encode64(text, padding: false) }
signed = [{ alg: "ES256", kid: kid }, { iss: team, iat: Time.now.to_i }].map { |object| part[object.to_json] }.join(".")
key = OpenSSL::PKey.read(File.read(path))
puts "#{signed}.#{part[key.dsa_sign_asn1(OpenSSL::Digest::SHA256.digest(signed))]}"
